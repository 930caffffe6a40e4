export function recordMeasurement(guarantee: string, measured: string): void;
