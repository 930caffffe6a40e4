import type { Api, ApiResponse } from './api.js';

/** The status of the REST operation by the code of the error; of all others it is 400. */
const STATUSES: Record<string, number> = { not_found: 404, read_only: 403, invalid_rows: 422, nothing_to_propose: 409 };

/** Calls a tool of assistants. @returns its answer in the form of a response of the API. */
export async function callTool(api: Api, name: string, input: object = {}): Promise<ApiResponse> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const response = await api.post('/mcp', message);
  const { result } = response.body;
  if (!result) throw new Error(`${name}: ${JSON.stringify(response.body)}`);
  if (!result.isError) return { ...response, body: { data: result.structuredContent } };
  const error = JSON.parse(result.content[0].text as string);
  return { ...response, status: STATUSES[error.error as string] ?? 400, body: error };
}
