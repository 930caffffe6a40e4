/** The IDs and secrets that an operator issues to a user of the service. */
export interface Credentials {
  workspaceId: string;
  userId: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
}
