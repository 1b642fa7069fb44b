import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./problem";

/** What is known of the server's answers. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The admin is a LAN neighbour: try it even if the browser thinks it is offline.
      networkMode: "always",
      // What was asked for while the page's code was on its way is not asked for again.
      staleTime: 1000,
      // A refusal is final, and a silent admin is watched by the connection banner.
      retry: (failures, error) => error instanceof ApiError && error.status >= 500 && failures < 2,
    },
    mutations: { networkMode: "always" },
  },
});

/** Resolves when all that was asked for is there, or was refused. */
export function answered(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (queryClient.isFetching() > 0) return;
      stop();
      resolve();
    };
    const stop = queryClient.getQueryCache().subscribe(check);
    check();
  });
}
