/** What the operator hands to somebody who is to use the service. */
export interface Credentials {
  workspaceId: string;
  userId: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
}
