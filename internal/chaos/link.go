package chaos

import (
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Mode is what a Link does to the bytes that pass. Requests go up, from those who
// connect to the target; replies come down.
type Mode string

const (
	Pass      Mode = "pass"
	Refuse    Mode = "refuse"    // nobody listens; open connections break
	Cut       Mode = "cut"       // open connections break once, new ones pass
	Stall     Mode = "stall"     // all bytes wait, and arrive when the link heals
	Drop      Mode = "drop"      // all bytes vanish; the connection breaks when the link heals
	Deaf      Mode = "deaf"      // requests vanish, replies pass
	Swallow   Mode = "swallow"   // requests pass, replies vanish
	Delay     Mode = "delay"     // each piece arrives 300 ms late
	HalfClose Mode = "halfclose" // in place of a reply its direction is closed
	Reset     Mode = "reset"     // in place of a reply the connection is reset
	Slow      Mode = "slow"      // one byte a second
	Duplicate Mode = "duplicate" // requests arrive twice, the second on a connection of its own
)

// Modes are all that break something.
var Modes = []Mode{Refuse, Cut, Stall, Drop, Deaf, Swallow, Delay, HalfClose, Reset, Slow, Duplicate}

const (
	delayOfPiece = 300 * time.Millisecond
	slowByte     = time.Second
	dialTimeout  = 3 * time.Second
	// relisten is how long a healed link tries to get its port back.
	relisten = 10 * time.Second
)

// Link is a TCP relay in front of one server. It keeps its address while it refuses,
// so that whoever was told of it comes back.
type Link struct {
	addr, target string
	work         sync.WaitGroup

	mu       sync.Mutex
	mode     Mode
	changed  chan struct{} // closed by the next change of mode
	listener net.Listener  // nil while refusing
	pairs    map[*pair]struct{}
	relayed  int // connections so far
	closed   bool
	request  func(piece []byte) // sees all that goes up; nil = nobody looks
}

// pair is one relayed connection.
type pair struct {
	client, server net.Conn
	mirror         net.Conn // takes requests a second time; nil unless duplicating
	lossy          bool     // guarded by Link.mu: bytes are missing, so it must not go on
}

// NewLink relays from a free loopback port to target.
func NewLink(target string) (*Link, error) {
	l := &Link{target: target, mode: Pass, changed: make(chan struct{}), pairs: map[*pair]struct{}{}}
	if err := l.listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	return l, nil
}

// Addr is where to connect to, host and port.
func (l *Link) Addr() string { return l.addr }

// Set changes what the link does, to open connections and new ones.
func (l *Link) Set(m Mode) error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	before := l.mode
	l.mode = m
	close(l.changed)
	l.changed = make(chan struct{})
	for p := range l.pairs {
		if m == Refuse || m == Cut || p.lossy {
			p.reset()
		}
	}
	if m == Refuse && l.listener != nil {
		l.listener.Close()
		l.listener = nil
	}
	l.mu.Unlock()
	if before == Refuse && m != Refuse {
		return l.listenAgain()
	}
	return nil
}

// OnRequest shows fn every piece of a request before it is passed on; nil ends that.
func (l *Link) OnRequest(fn func(piece []byte)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.request = fn
}

// Owns reports whether one of the connections to the target comes from a local port.
func (l *Link) Owns(port int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.pairs {
		if a, ok := p.server.LocalAddr().(*net.TCPAddr); ok && a.Port == port {
			return true
		}
	}
	return false
}

// Relayed is how many connections have come through the link so far.
func (l *Link) Relayed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.relayed
}

// Close breaks everything and waits for the relaying to end.
func (l *Link) Close() {
	_ = l.Set(Refuse)
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.work.Wait()
}

// listenAgain waits for the port, which a dying connection may hold for a moment.
func (l *Link) listenAgain() error {
	var err error
	for end := time.Now().Add(relisten); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = l.listen(l.addr); err == nil {
			return nil
		}
	}
	return fmt.Errorf("heal link to %s: %w", l.target, err)
}

func (l *Link) listen(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for link to %s: %w", l.target, err)
	}
	l.mu.Lock()
	l.addr, l.listener = listener.Addr().String(), listener
	l.mu.Unlock()
	l.work.Go(func() { l.accept(listener) })
	return nil
}

func (l *Link) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		l.work.Go(func() { l.relay(client) })
	}
}

func (l *Link) relay(client net.Conn) {
	server, err := net.DialTimeout("tcp", l.target, dialTimeout)
	if err != nil {
		hardClose(client)
		return
	}
	p := &pair{client: client, server: server}
	l.mu.Lock()
	refused := l.mode == Refuse
	if l.mode == Duplicate {
		p.mirror, _ = net.DialTimeout("tcp", l.target, dialTimeout) // without it the request just arrives once
	}
	l.pairs[p] = struct{}{}
	l.relayed++
	l.mu.Unlock()
	defer l.forget(p)
	if refused {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.pump(p, server, client, true) })
	both.Go(func() { l.pump(p, client, server, false) })
	if p.mirror != nil {
		both.Go(func() { _, _ = io.Copy(io.Discard, p.mirror) })
	}
	both.Wait()
}

func (l *Link) forget(p *pair) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pairs, p)
	p.reset()
}

// reset breaks the connection at both ends, without the goodbye that says all arrived.
func (p *pair) reset() {
	hardClose(p.client)
	hardClose(p.server)
	if p.mirror != nil {
		hardClose(p.mirror)
	}
}

func hardClose(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

// pump relays one direction until either end closes.
func (l *Link) pump(p *pair, dst, src net.Conn, up bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 && !l.deliver(p, dst, buf[:n], up) {
			p.reset()
			return
		}
		if err == nil {
			continue
		}
		if err != io.EOF {
			p.reset()
			return
		}
		if tcp, ok := dst.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
		if up && p.mirror != nil {
			_ = p.mirror.(*net.TCPConn).CloseWrite()
		}
		return
	}
}

// deliver passes a piece on as the mode of the moment says. False ends the connection.
func (l *Link) deliver(p *pair, dst net.Conn, piece []byte, up bool) bool {
	if up {
		l.show(piece)
	}
	for len(piece) > 0 {
		mode, changed := l.now()
		n := len(piece)
		switch {
		case mode == Stall:
			<-changed
			continue
		case mode == Drop, mode == Deaf && up, mode == Swallow && !up:
			if l.lose(p, mode) {
				return true
			}
			continue
		case mode == HalfClose && !up:
			if l.lose(p, mode) {
				_ = dst.(*net.TCPConn).CloseWrite()
				return true
			}
			continue
		case mode == Reset && !up:
			return false
		case mode == Delay:
			wait(delayOfPiece, changed)
		case mode == Slow:
			n = 1
		}
		if p.mirror != nil && up {
			_, _ = p.mirror.Write(piece[:n])
		}
		if _, err := dst.Write(piece[:n]); err != nil {
			return false
		}
		piece = piece[n:]
		if mode == Slow && len(piece) > 0 {
			wait(slowByte, changed)
		}
	}
	return true
}

func (l *Link) show(piece []byte) {
	l.mu.Lock()
	fn := l.request
	l.mu.Unlock()
	if fn != nil {
		fn(piece)
	}
}

func (l *Link) now() (Mode, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mode, l.changed
}

// lose notes that bytes of the pair vanish, unless the mode has changed already.
func (l *Link) lose(p *pair, because Mode) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mode != because {
		return false
	}
	p.lossy = true
	return true
}

// wait ends early when the mode changes.
func wait(d time.Duration, changed <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	}
}
