import type { FormErrors } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, fieldErrors } from "../api/problem";

interface Options<Input, Saved> {
  save: (input: Input) => Promise<Saved>;
  /** Of the lists that show what is saved: they are fetched anew. */
  queryKey: readonly unknown[];
  form: { setErrors: (errors: FormErrors) => void };
  onSaved?: () => void;
}

/** Saves what a form holds; what the server refuses is said at the form's fields. */
export function useSave<Input, Saved>({ save, queryKey, form, onSaved }: Options<Input, Saved>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey });
      onSaved?.();
    },
    onError: (error) => {
      form.setErrors(fieldErrors(error));
      // Somebody was faster: who opens the form again sees what they did.
      if (error instanceof ApiError && error.status === 409) {
        void queryClient.invalidateQueries({ queryKey });
      }
    },
  });
}
