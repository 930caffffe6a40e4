import { type Jq, loadJq } from 'jq-wasm';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';

/**
 * A filter of jq, which is executed in this process: jq itself, compiled to WebAssembly. Many machines have no program
 * `jq`, `node-jq` downloads one after the installation, and implementations in JavaScript have other results for large
 * numbers, dates and regular expressions. Only `--jq` loads it.
 */
export class JsonFilter {
  private constructor(
    private readonly jq: Jq,
    private readonly filter: string,
    private readonly flags: string[],
  ) {}

  /** @throws {UsageError} if the filter is not valid, before a request is sent */
  static async compile(filter: string, { stdout }: Io): Promise<JsonFilter> {
    // Texts are printed without quotes. Scripts receive a line per value.
    const flags = stdout.isTTY ? ['-r'] : ['-r', '-c'];
    const compiled = new JsonFilter(await loadJq(), filter, flags);
    compiled.apply('');
    return compiled;
  }

  /** @param json one or more JSON texts @returns a line per result @throws {UsageError} */
  apply(json: string): string {
    const { stdout, stderr, exitCode } = this.jq.raw(json, this.filter, this.flags);
    if (exitCode !== 0) throw new UsageError(`--jq: ${stderr.replaceAll(/^jq: /gm, '').trim()}`);
    return stdout === '' ? '' : `${stdout}\n`;
  }
}
