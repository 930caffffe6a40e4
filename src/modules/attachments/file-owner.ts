/**
 * Decides which files callers with an access policy may read: those that no module shows do not exist for them. Modules
 * register an implementation with AttachmentsService.
 */
export abstract class FileOwner {
  /**
   * Is it a record of the module that exists for the caller?
   *
   * @param ownerId of a record of this or of another module.
   */
  abstract showsFilesOf(workspaceId: string, ownerId: string): Promise<boolean>;
}
