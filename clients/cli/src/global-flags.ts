/** Flags of all commands. */
export interface GlobalFlags {
  json?: boolean;
  quiet?: boolean;
  profile?: string;
}
