import type { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';

/** A socket, stream, server, process, pool or signal. */
export type Emitter = Pick<EventEmitter, 'on' | 'off'> | Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

type Callback = (...values: never[]) => void;

/** Receives what a callback throws. */
type Fail = (error: unknown) => void;

const logger = new Logger('Listeners');

/**
 * Calls back for each event of the emitter. What the callback throws does not reach the emitter, where it would end the
 * process: it is passed to `fail`, by default to the log and to `destroy()` of a stream.
 *
 * @returns a function that ends it; calling it again has no effect.
 */
export function listen(emitter: Emitter, event: string, callback: Callback, fail?: Fail): () => void {
  const guarded = (...values: unknown[]): void => {
    try {
      (callback as (...values: unknown[]) => void)(...values);
    } catch (error) {
      (fail ?? toFail(emitter))(error);
    }
  };
  if ('on' in emitter) emitter.on(event, guarded);
  else emitter.addEventListener(event, guarded);
  return () => {
    if ('on' in emitter) emitter.off(event, guarded);
    else emitter.removeEventListener(event, guarded);
  };
}

/** As `listen`, for the next event only. */
export function listenOnce(emitter: Emitter, event: string, callback: Callback): () => void {
  const end = listen(emitter, event, (...values) => {
    end();
    callback(...values);
  });
  return end;
}

/** An emitter without a listener for `error` ends the process with its next one, also after its work has ended. */
export function ignoreErrors(emitter: Emitter): void {
  listen(emitter, 'error', () => undefined);
}

/** Adds a listener whose exceptions reject the promise of the work. */
type On = (emitter: Emitter, event: string, callback: Callback) => void;

/**
 * The promise of work that ends by events of emitters, such as a request and its response. It settles once: by
 * `resolve`, by `reject`, or by what a callback throws. From then on nothing is called back, and errors of the emitters
 * are ignored.
 */
export function settleByEvents<Result>(
  start: (on: On, resolve: (result: Result | Promise<Result>) => void, reject: Fail) => void,
): Promise<Result> {
  const ends: (() => void)[] = [];
  const emitters = new Set<Emitter>();
  return new Promise<Result>((resolve, reject) => {
    const settle =
      <Value>(by: (value: Value) => void) =>
      (value: Value) => {
        for (const end of ends.splice(0)) end();
        by(value);
      };
    const fail = settle(reject);
    const on: On = (emitter, event, callback) => {
      if (!emitters.has(emitter)) ignoreErrors(emitter);
      emitters.add(emitter);
      ends.push(listen(emitter, event, callback, fail));
    };
    start(on, settle(resolve), fail);
  });
}

function toFail(emitter: Emitter): Fail {
  return (error) => {
    logger.error(error);
    const { destroy } = emitter as { destroy?: (error: unknown) => void };
    destroy?.call(emitter, error);
  };
}
