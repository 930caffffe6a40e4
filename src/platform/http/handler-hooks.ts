import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOnce } from '../listeners.js';

/** If it throws, its error replaces the first one. */
export type FailureHook = (error: unknown) => Promise<void>;

/**
 * Calls back once the handler of the request has returned its result or failed, or the request was rejected before it;
 * not when the client disconnects, which does not end the work.
 */
export function onHandlerEnd(request: IncomingMessage, callback: () => void): void {
  (request.handlerEndHooks ??= []).push(callback);
}

/** Calls back when the response is sent or its connection closed; immediately if it already is. */
export function onResponseEnd(response: ServerResponse, callback: () => void): void {
  if (response.closed) callback();
  else listenOnce(response, 'close', callback);
}

/** Called for the result of a handler, and for every error. */
export function endHandler(request: IncomingMessage): void {
  const hooks = request.handlerEndHooks;
  if (!hooks) return;
  request.handlerEndHooks = undefined;
  for (const hook of hooks) hook();
}

/**
 * Calls back if the request fails, before the response. The hooks of a request run in the order of their registration.
 */
export function onFailure(request: IncomingMessage, hook: FailureHook): void {
  (request.failureHooks ??= []).push(hook);
}

/** @returns the error for the caller: that of a hook if it fails. */
export async function runFailureHooks(hooks: readonly FailureHook[], error: unknown): Promise<unknown> {
  let final = error;
  for (const hook of hooks) {
    try {
      await hook(final);
    } catch (failure) {
      final = failure;
    }
  }
  return final;
}
