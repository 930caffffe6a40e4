export interface Guarantee {
  guarantee: string;
  /** What its suites do to the service. */
  cases: string;
  /** The suite that CI runs. */
  representative: string;
  suites: string[];
}

export const SUITE_SECONDS: Record<string, number>;
export const DEFAULT_SECONDS: number;
export const NIGHTLY_SUITES: Record<string, string>;
export const GUARANTEES: Guarantee[];
export const REPRESENTATIVES: string[];
export const STAGE: string;
export function selectSuites(paths: readonly string[], stage?: string): string[];
export function isNightly(path: string): boolean;
export function secondsOf(path: string): number;
