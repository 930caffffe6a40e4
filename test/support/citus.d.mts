export const CITUS_URL: string | undefined;
export function createClusterDatabase(name: string): Promise<void>;
export function dropClusterDatabase(name: string): Promise<void>;
export function dropSharedDatabases(): Promise<void>;
export function withDatabase(url: string, name: string): string;
