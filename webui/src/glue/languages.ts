import { StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { CodeLanguage } from "./code-language";

/** The highlighting of a language; each is a chunk of its own. */
export async function loadLanguage(language: CodeLanguage): Promise<Extension> {
  switch (language) {
    case "GLUE_LUA":
      return stream((await import("@codemirror/legacy-modes/mode/lua")).lua);
    case "GLUE_SHELL":
      return stream((await import("@codemirror/legacy-modes/mode/shell")).shell);
    case "GLUE_PYTHON":
    case "GLUE_PYTHON2":
      return stream((await import("@codemirror/legacy-modes/mode/python")).python);
    case "GLUE_POWERSHELL":
      return stream((await import("@codemirror/legacy-modes/mode/powershell")).powerShell);
    case "GLUE_GROOVY":
      return stream((await import("@codemirror/legacy-modes/mode/groovy")).groovy);
    case "WAT":
      return stream((await import("@codemirror/legacy-modes/mode/wast")).wast);
    case "GLUE_NODEJS":
    case "GLUE_JS":
      return (await import("@codemirror/lang-javascript")).javascript();
    case "ASSEMBLYSCRIPT":
    case "GLUE_TS":
      return (await import("@codemirror/lang-javascript")).javascript({ typescript: true });
    case "GLUE_PHP":
      return (await import("@codemirror/lang-php")).php();
  }
}

function stream(parser: StreamParser<unknown>): Extension {
  return StreamLanguage.define(parser);
}
