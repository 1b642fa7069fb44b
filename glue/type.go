package glue

// Type says what job code is and which engine runs it. The names are XXL-JOB's
// glueType values, extended by ours.
type Type string

const (
	Bean       Type = "BEAN" // a handler registered in the executor; no source
	Groovy     Type = "GLUE_GROOVY"
	Shell      Type = "GLUE_SHELL"
	Python     Type = "GLUE_PYTHON"
	Python2    Type = "GLUE_PYTHON2"
	Node       Type = "GLUE_NODEJS"
	PowerShell Type = "GLUE_POWERSHELL"
	PHP        Type = "GLUE_PHP"
	Lua        Type = "GLUE_LUA"
	JS         Type = "GLUE_JS"
	TS         Type = "GLUE_TS"
	WASM       Type = "GLUE_WASM"
)

// Info describes a type.
type Info struct {
	Type     Type
	Title    string   // shown to people, XXL-JOB's where it has one
	Script   bool     // runs as a process tree through an interpreter
	Sandbox  bool     // runs in the sandbox worker
	Artifact bool     // what runs is an uploaded or compiled module, not the source
	Commands []string // interpreters in order of preference, for scripts
	Suffix   string   // file suffix with its dot, for scripts
}

var infos = []Info{
	{Type: Bean, Title: "BEAN"},
	{Type: Groovy, Title: "GLUE(Java)"},
	{Type: Shell, Title: "GLUE(Shell)", Script: true, Commands: []string{"bash"}, Suffix: ".sh"},
	{Type: Python, Title: "GLUE(Python3)", Script: true, Commands: []string{"python3"}, Suffix: ".py"},
	{Type: Python2, Title: "GLUE(Python2)", Script: true, Commands: []string{"python"}, Suffix: ".py"},
	{Type: Node, Title: "GLUE(Nodejs)", Script: true, Commands: []string{"node"}, Suffix: ".js"},
	{Type: PowerShell, Title: "GLUE(PowerShell)", Script: true, Commands: []string{"pwsh", "powershell"}, Suffix: ".ps1"},
	{Type: PHP, Title: "GLUE(PHP)", Script: true, Commands: []string{"php"}, Suffix: ".php"},
	{Type: Lua, Title: "GLUE(Lua)", Sandbox: true},
	{Type: JS, Title: "GLUE(JavaScript)", Sandbox: true},
	{Type: TS, Title: "GLUE(TypeScript)", Sandbox: true},
	{Type: WASM, Title: "GLUE(WebAssembly)", Sandbox: true, Artifact: true},
}

// Lookup finds a type's description; ok is false for an unknown name.
func Lookup(t Type) (info Info, ok bool) {
	for _, i := range infos {
		if i.Type == t {
			return i, true
		}
	}
	return Info{}, false
}

// Types lists every known type in the order that people see.
func Types() []Info { return append([]Info(nil), infos...) }

// Live reports whether t has source or a module that is edited and versioned here.
func (t Type) Live() bool { return t != Bean }
