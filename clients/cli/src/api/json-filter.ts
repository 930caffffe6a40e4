import { loadJq } from 'jq-wasm';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';

/** Receives one or more JSON texts, and returns a line per result. @throws {UsageError} */
export type JsonFilter = (json: string) => string;

/**
 * Compiles a filter of jq, which is executed in this process: jq itself, compiled to WebAssembly. Many machines have no
 * program `jq`, `node-jq` downloads one after the installation, and implementations in JavaScript have other results
 * for large numbers, dates and regular expressions. Only `--jq` loads it.
 *
 * @throws {UsageError} if the filter is not valid, before a request is sent
 */
export async function compileFilter(filter: string, { stdout: { isTTY } }: Io): Promise<JsonFilter> {
  const jq = await loadJq();
  // Texts are printed without quotes. Scripts receive a line per value.
  const flags = isTTY ? ['-r'] : ['-r', '-c'];
  const apply = (json: string): string => {
    const { stdout, stderr, exitCode } = jq.raw(json, filter, flags);
    if (exitCode !== 0) throw new UsageError(`--jq: ${stderr.replaceAll(/^jq: /gm, '').trim()}`);
    return stdout === '' ? '' : `${stdout}\n`;
  };
  apply('');
  return apply;
}
