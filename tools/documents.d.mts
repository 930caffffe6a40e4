export const DOCUMENTS: readonly string[];
export function findDocument(name: string): string;
