/** The client `c` may act. */
export const IS_ACTIVE_CLIENT = `c.status = 'active'`;

/** LEFT JOIN of a client. */
export function joinClientIfAny(clientId: string): string {
  return `LEFT JOIN oauth_clients c ON c.client_id = ${clientId}`;
}
