/** Where the bytes lie in the storage. A workspace has its own, so that none can tell what another one has. */
export function blobKey(workspaceId: string, sha256: string): string {
  return `${workspaceId}/files/${sha256.slice(0, 2)}/${sha256}`;
}

/** Where the small picture of an image lies. */
export function thumbnailKey(workspaceId: string, sha256: string): string {
  return `${workspaceId}/thumbnails/${sha256.slice(0, 2)}/${sha256}`;
}

/** What a key is of; undefined where it is none of ours. */
export function parseBlobKey(key: string): { workspaceId: string; sha256: string } | undefined {
  const [, workspaceId, sha256] =
    /^([0-9a-f-]{36})\/(?:files|thumbnails)\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(key) ?? [];
  return workspaceId && sha256 ? { workspaceId, sha256 } : undefined;
}
