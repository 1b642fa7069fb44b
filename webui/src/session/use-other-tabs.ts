import { useEffect } from "react";
import { onLoginElsewhere, rememberedUser } from "./remember";
import { expired, replaced } from "./state";

/**
 * Follows what other tabs do to the session, which all of them share: when it has ended or
 * is somebody else's, the page waits for its person; when they are back, it goes on.
 */
export function useOtherTabs(userID: number | undefined): void {
  useEffect(() => {
    if (userID === undefined) return;
    const look = () => {
      const now = rememberedUser();
      replaced.set(now !== undefined && now !== userID);
      expired.set(now !== userID);
    };
    const stop = onLoginElsewhere(look);
    // Another tab may have done it while this page was on its way.
    const known = rememberedUser();
    if (known !== undefined && known !== userID) look();
    return stop;
  }, [userID]);
}
