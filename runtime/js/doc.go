// Package js runs JavaScript and TypeScript jobs with QuickJS. It is meant for the
// sandbox worker: QuickJS can be interrupted between its own instructions, but not
// within a built-in function, so something outside must be able to end the process.
//
// A job is a script, not a module: there is nothing to import. await works at the top
// level, and the value of the last statement is awaited: it is the job's result, and if
// it is a promise that is rejected, the job has failed. Then what else was started (a
// sleep, a request) is waited for.
//
//	async function main() {
//	  const answer = await gw.http.get("https://api.example.com/v1/items");
//	  return JSON.parse(answer.body).length;
//	}
//	main();
//
// A guest finds the language itself (ES2023) without what QuickJS offers besides: no
// std, os, timers or worker. console goes to the job's log. gw is the host interface, see
// [hostapi]; functions that take time (sleep, http, kv, secret) give promises. Host
// functions with several values give an array: const [index, total] = gw.shard().
// Text in JavaScript is Unicode, so gw.base64.decode refuses what is not.
//
// TypeScript loses its types in esbuild, which does not check them. Messages and stacks
// name the lines of the source as it was written.
//
// What the host needs of JavaScript's built-ins later it takes aside before guest code
// runs (prelude.js), so a guest that replaces Promise or JSON fools only itself.
package js
