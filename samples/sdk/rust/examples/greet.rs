//! A job in Rust that uses the guest SDK. Its sisters in Go, AssemblyScript and C do the
//! same.

use gluewheel as gw;

fn main() -> gw::Result<()> {
    let name = gw::param();
    let (index, total) = gw::shard();
    gw::log(&format!("hello {name}, from Rust: shard {index} of {total}"));
    gw::progress(50.0, "half way");
    gw::log_at(gw::Level::Info, &format!("sha256 {}", gw::hash("sha256", &name)?));
    // Denied, unless the version's manifest has kv: true.
    if let Err(denied) = gw::kv::get("greeted") {
        gw::log_at(gw::Level::Warn, &denied.to_string());
    }
    let there_and_back = gw::base64::decode(&gw::base64::encode(&name)?)?;
    gw::result(&format!("greeted {there_and_back}"));
    Ok(())
}
