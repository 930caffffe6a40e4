import { finished, Readable, Writable } from 'node:stream';
import { startStatement } from '../telemetry/spans.js';
import type { PooledClient } from './pooled-client.js';

type Callback = (error: Error | null, result: unknown) => void;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- TypeScript requires it of the base class of a mixin
type ClientClass = new (...parameters: any[]) => PooledClient;

/** @returns a class of connections whose statements are spans of the trace of their request or job. */
export function traced<Base extends ClientClass>(base: Base): Base {
  return class extends base {
    override query(...parameters: never[]): never {
      const all = parameters as unknown[];
      const text = readText(all[0]);
      const end = text === undefined ? undefined : startStatement(text);
      if (!end) return super.query(...parameters);
      if (isCopy(all[0])) {
        finished(all[0], end);
        return super.query(...parameters);
      }
      const position = all.findIndex((parameter) => typeof parameter === 'function');
      if (position >= 0) {
        const callback = all[position] as Callback;
        all[position] = (error: Error | null, result: unknown) => {
          end(error);
          callback(error, result);
        };
        return super.query(...parameters);
      }
      const result = super.query(...parameters) as Promise<unknown>;
      result.then(() => end(), end);
      return result as never;
    }
  };
}

const isCopy = (query: unknown): query is Readable | Writable => query instanceof Readable || query instanceof Writable;

/** Undefined for a query that submits itself; the streams of COPY have a text. */
function readText(query: unknown): string | undefined {
  if (typeof query === 'string') return query;
  const { text, submit } = query as { text?: string; submit?: unknown };
  return submit && !isCopy(query) ? undefined : text;
}
