import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../api/client";
import type { Job, Manifest } from "../api/types";
import { useNotify } from "../ui/notify";
import { cleanManifest } from "./manifest";
import type { Code } from "./use-code";

/** Where and with what the unsaved code is tried. */
export interface TestInput {
  /** Empty: any executor of the group. */
  address: string;
  param: string;
  shardIndex: number;
  shardTotal: number;
}

/** Runs code that is not published, and remembers the run. */
export function useTestRun(job: Job) {
  const notify = useNotify();
  const [input, setInput] = useState<TestInput>({
    address: "",
    param: job.param,
    shardIndex: 0,
    shardTotal: 1,
  });
  const [runID, setRunID] = useState<number>();
  const start = useMutation({
    mutationFn: async (make: () => Promise<{ code: Code; manifest: Manifest }>) => {
      const { code, manifest } = await make();
      return unwrap(
        api.POST("/jobs/{id}/test-run", {
          params: { path: { id: job.id } },
          body: {
            glue_type: job.glue_type,
            ...code,
            param: input.param,
            shard_index: input.shardIndex,
            shard_total: input.shardTotal,
            address: input.address || undefined,
            manifest: cleanManifest(manifest),
          },
        }),
      );
    },
    onSuccess: ({ run_id }) => setRunID(run_id),
  });
  return { input, setInput, runID, start, isPending: start.isPending, notify };
}
