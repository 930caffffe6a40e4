/** Sends a request to the support server of the test run (support-server.mjs). */
export async function requestSupport<T>(action: string, body: object): Promise<T> {
  const response = await fetch(`${process.env['TEST_SUPPORT_URL']}/${action}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  const { result, error } = (await response.json()) as { result?: T; error?: string };
  if (error !== undefined) throw new Error(error);
  return result as T;
}
