// Binds the host interface. It is evaluated before any guest code and takes aside what it
// needs, since a guest may replace any built-in. Its value is what the host calls later.
//
//   call(name, args)       answers at once: {"results":[…]} or {"error":"…"}
//   start(id, name, args)  answers later, by settle; its own answer is why not, or ""
//   log(text)              writes to the job's log
//   end(ok, text)          tells how the guest ended
(() => {
  'use strict';
  const { gwCall: call, gwStart: start, gwLog: log, gwEnd: end } = globalThis;
  const { stringify, parse } = JSON;
  const { defineProperty, create } = Object;
  const [P, Failure, text] = [Promise, Error, String];
  const then = P.prototype.then;
  const apply = Reflect.apply;

  for (const name of ['gwCall', 'gwStart', 'gwLog', 'gwEnd']) delete globalThis[name];

  // described is v as people should read it.
  const described = (v) => {
    try {
      if (typeof v === 'string') return v;
      if (v instanceof Failure) return v.stack ? `${text(v)}\n${v.stack}` : text(v);
      if (typeof v === 'object') return stringify(v) ?? text(v);
      return text(v);
    } catch {
      return `[${typeof v}]`;
    }
  };

  // named gives f the name that stacks show for it, by which the host knows its own.
  const named = (name, f) => defineProperty(f, 'name', { value: `gw.${name}` });

  const resultsOf = (answer) => {
    const results = answer.results ?? [];
    return results.length > 1 ? results : results[0];
  };

  const immediate = (name) => named(name, (...args) => {
    const answer = parse(call(name, stringify(args)));
    if (answer.error !== undefined) throw new Failure(answer.error);
    return resultsOf(answer);
  });

  const waiting = create(null);
  let last = 0;
  const eventual = (name) => named(name, (...args) => {
    const failure = new Failure(); // made here, for the stack of the call
    return new P((resolve, reject) => {
      const id = ++last;
      waiting[id] = { resolve, reject, failure };
      const refusal = start(id, name, stringify(args));
      if (refusal !== '') settle(id, stringify({ error: refusal }));
    });
  });

  const settle = (id, encoded) => {
    const { resolve, reject, failure } = waiting[id];
    delete waiting[id];
    const answer = parse(encoded);
    if (answer.error === undefined) return resolve(resultsOf(answer));
    defineProperty(failure, 'message', { value: answer.error, writable: true, configurable: true });
    reject(failure);
  };

  const line = (prefix, args) => {
    let all = '';
    for (let i = 0; i < args.length; i++) all += (i > 0 ? ' ' : '') + described(args[i]);
    log(prefix + all);
  };
  const writer = (prefix) => (...args) => line(prefix, args);

  // bind makes gw of [{name, waits}, …] and console of the same writers.
  const bind = (functions) => {
    const gw = { json: { encode: stringify, decode: parse } };
    for (const { name, waits } of parse(functions)) {
      const [module, method] = name.split('.');
      const f = waits ? eventual(name) : immediate(name);
      if (method === undefined) gw[module] = f;
      else (gw[module] ??= {})[method] = f;
    }
    const levels = { debug: '[DEBUG] ', info: '[INFO] ', warn: '[WARN] ', error: '[ERROR] ' };
    gw.log = writer('');
    for (const level in levels) gw[level] = writer(levels[level]);
    globalThis.gw = gw;
    globalThis.console = { log: gw.log, debug: gw.debug, info: gw.info, warn: gw.warn, error: gw.error };
  };

  // lastValue is that of the guest's last statement, awaited if it is a promise itself.
  const lastValue = async (promise) => (await promise).value;

  // watch has end called once that is settled.
  const watch = (promise) => apply(then, lastValue(promise), [
    (value) => end(true, value === undefined ? '' : described(value)),
    (reason) => end(false, described(reason)),
  ]);

  return { bind, settle, watch };
})()
