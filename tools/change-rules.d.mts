export const RULES: { files: RegExp; suites: string[] }[];
export const NOT_FOR_CHANGES: Record<string, string>;
