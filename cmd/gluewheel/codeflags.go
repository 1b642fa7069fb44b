package main

import (
	"fmt"
	"net/netip"

	"github.com/gluewheel/gluewheel/runtime/egress"
)

// codeFlags say what live code may do on an executor.
type codeFlags struct {
	AllowHosts        []string `placeholder:"HOST" env:"GLUEWHEEL_ALLOW_HOSTS" help:"Hosts that versions may be granted to call by gw.http, and that httpJobHandler may call, such as api.example.com,*.example.org; any by default, none for none."`
	AllowNetworks     []string `placeholder:"CIDR" env:"GLUEWHEEL_ALLOW_NETWORKS" help:"Networks beside the public ones that gw.http and httpJobHandler may reach, such as 10.1.0.0/16; none by default."`
	AllowPlainSecrets bool     `env:"GLUEWHEEL_ALLOW_PLAIN_SECRETS" help:"Let secrets travel from admins on other machines without TLS."`
	AllowInproc       bool     `env:"GLUEWHEEL_ALLOW_INPROC" help:"Run WebAssembly of versions with isolation inproc in this very process: faster, and without most of the sandbox. For code that you trust."`
	MaxJobMemory      int64    `default:"0" placeholder:"MIB" env:"GLUEWHEEL_MAX_JOB_MEMORY" help:"Most memory that a version may ask for, in MiB; 0 for no bound."`
	NoScripts         bool     `env:"GLUEWHEEL_NO_SCRIPTS" help:"Run no scripts (shell, Python, …) at all."`
}

// Validate names the flag that is wrong.
func (f *codeFlags) Validate() error {
	if f.MaxJobMemory < 0 {
		return fmt.Errorf("max-job-memory: %d is negative", f.MaxJobMemory)
	}
	_, err := f.policy()
	return err
}

// policy is what gw.http may do at most.
func (f *codeFlags) policy() (egress.Policy, error) {
	var p egress.Policy
	if len(f.AllowHosts) == 1 && f.AllowHosts[0] == "none" {
		p.Hosts = []string{}
	} else {
		p.Hosts = f.AllowHosts
	}
	for _, host := range p.Hosts {
		if err := egress.CheckHost(host); err != nil {
			return p, fmt.Errorf("allow-hosts: %w", err)
		}
	}
	for _, text := range f.AllowNetworks {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return p, fmt.Errorf("allow-networks: %q is not a network; write it like 10.1.0.0/16", text)
		}
		p.Networks = append(p.Networks, network.Masked())
	}
	return p, nil
}
