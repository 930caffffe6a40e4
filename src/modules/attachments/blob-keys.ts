/** Storage key of a blob. Each workspace has its own keys, so no workspace can detect what another one stores. */
export function blobKey(workspaceId: string, sha256: string): string {
  return `${workspaceId}/files/${sha256.slice(0, 2)}/${sha256}`;
}

/** Storage key of the thumbnail of an image. */
export function thumbnailKey(workspaceId: string, sha256: string): string {
  return `${workspaceId}/thumbnails/${sha256.slice(0, 2)}/${sha256}`;
}

/** The blob that a storage key belongs to; undefined if this service did not make the key. */
export function parseBlobKey(key: string): { workspaceId: string; sha256: string } | undefined {
  const [, workspaceId, sha256] =
    /^([0-9a-f-]{36})\/(?:files|thumbnails)\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(key) ?? [];
  return workspaceId && sha256 ? { workspaceId, sha256 } : undefined;
}
