/** Rolls the transaction of a dry run back and carries its report. */
export class DryRun<Report> extends Error {
  constructor(readonly report: Report) {
    super('A dry run is rolled back.');
  }
}
