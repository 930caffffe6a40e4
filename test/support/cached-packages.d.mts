export function installPackages(name: string, packages: readonly string[], file: string): string | undefined;
export function installNode(version: string): string | undefined;
