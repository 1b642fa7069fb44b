import { StreamLanguage } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

/** The highlighting of a kind of job code; each is a chunk of its own. */
export async function loadLanguage(glueType: string): Promise<Extension> {
  switch (glueType) {
    case "GLUE_LUA":
      return StreamLanguage.define((await import("@codemirror/legacy-modes/mode/lua")).lua);
    case "GLUE_SHELL":
      return StreamLanguage.define((await import("@codemirror/legacy-modes/mode/shell")).shell);
    case "GLUE_PYTHON":
    case "GLUE_PYTHON2":
      return StreamLanguage.define((await import("@codemirror/legacy-modes/mode/python")).python);
    case "GLUE_POWERSHELL":
      return StreamLanguage.define(
        (await import("@codemirror/legacy-modes/mode/powershell")).powerShell,
      );
    case "GLUE_GROOVY":
      return StreamLanguage.define((await import("@codemirror/legacy-modes/mode/groovy")).groovy);
    case "GLUE_NODEJS":
    case "GLUE_JS":
      return (await import("@codemirror/lang-javascript")).javascript();
    case "GLUE_TS":
      return (await import("@codemirror/lang-javascript")).javascript({ typescript: true });
    case "GLUE_PHP":
      return (await import("@codemirror/lang-php")).php();
    default:
      return [];
  }
}
