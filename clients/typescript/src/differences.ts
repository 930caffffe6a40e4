import type { ApiCaller } from './api-caller.js';
import { parseLines } from './byte-stream.js';
import { ConnectionError } from './errors.js';

/** Lines of differences, up to the summary. @throws {ConnectionError} if there is no summary */
export async function* readDifferences<Difference extends object, Summary>(
  client: Pick<ApiCaller, 'baseUrl'>,
  response: Response,
  onSummary: ((summary: Summary) => void) | undefined,
): AsyncGenerator<Difference, void> {
  const lines = parseLines<Difference | { summary: Summary }>(response.body as ReadableStream<Uint8Array>);
  for await (const line of lines) {
    if (!('summary' in line)) yield line;
    else {
      onSummary?.(line.summary);
      return;
    }
  }
  throw new ConnectionError(client.baseUrl, { cause: new Error('the comparison has no summary') }, 'incomplete');
}
