// Package metrics keeps an executor daemon's figures for Prometheus. The SDK does not
// import it: a service that embeds an executor has figures of its own.
package metrics
