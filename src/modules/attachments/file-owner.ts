/**
 * Decides on the files of records that access policies can hide. Modules register an implementation with
 * AttachmentsService.
 */
export abstract class FileOwner {
  /**
   * Do access policies hide the record from the caller?
   *
   * @param ownerId of a record of this or of another module.
   */
  abstract hidesFilesOf(workspaceId: string, ownerId: string): Promise<boolean>;
}
