export const CITUS_URL: string | undefined;
export interface NodeAddress {
  host: string;
  port: number;
}
export function createClusterDatabase(
  name: string,
  addressOf?: (worker: NodeAddress & { url: string }) => Promise<NodeAddress>,
): Promise<void>;
export function dropClusterDatabase(name: string): Promise<void>;
export function dropSharedDatabases(): Promise<void>;
export function withDatabase(url: string, name: string): string;
