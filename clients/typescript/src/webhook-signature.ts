const TOLERANCE_S = 300;

export interface WebhookHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** The signature of a webhook does not match its body, or the webhook is too old. */
export class InvalidWebhookError extends Error {
  override readonly name = 'InvalidWebhookError';
}

/**
 * Verifies a webhook as Standard Webhooks 1.0 defines it and parses its body.
 *
 * @param body the body as it was received
 * @param secret the secret of the subscription, `whsec_…`
 * @throws {InvalidWebhookError}
 */
export async function verifyWebhook<Event = unknown>(
  body: string,
  headers: Headers | WebhookHeaders | Record<string, string | string[] | undefined>,
  secret: string,
): Promise<Event> {
  const header = (name: keyof WebhookHeaders): string => {
    const value = headers instanceof Headers ? headers.get(name) : (headers as Record<string, unknown>)[name];
    if (typeof value !== 'string') throw new InvalidWebhookError(`The header ${name} is missing.`);
    return value;
  };
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S))
    throw new InvalidWebhookError('The webhook is older than five minutes, or the clocks differ.');
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of header('webhook-signature').split(' ')) {
    const [version, value = ''] = signature.split(',');
    // Compares in constant time.
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, decodeBase64(value), signed)))
      return JSON.parse(body) as Event;
  }
  throw new InvalidWebhookError('No signature of the webhook matches. Check the secret of the subscription.');
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
