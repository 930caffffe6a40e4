import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';

/** Impacts of findings that the page must not have. */
const REJECTED_IMPACTS = ['serious', 'critical'];

/** More than any screen has. */
const MAX_STOPS = 60;

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings of axe-core. */
export async function findInaccessible(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>('axe.run({ resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => REJECTED_IMPACTS.includes(impact))
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
}

/** The table browser at `/tables`. */
export class TableBrowserPage {
  constructor(readonly page: Page) {}

  /** With a key, because the service limits the sign-ins of an address. */
  async signIn(apiKey: string): Promise<void> {
    const form = this.page.locator('form', { hasText: 'With an API key' });
    await form.getByLabel('API key').fill(apiKey);
    await form.getByRole('button').click();
    await this.page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
  }

  async open(table: string, view?: string): Promise<void> {
    await this.page.getByRole('link', { name: table, exact: true }).click();
    await this.page.getByRole('heading', { name: table, level: 1 }).waitFor();
    if (view !== undefined) await this.page.getByRole('link', { name: view, exact: true }).click();
  }

  get alert(): Locator {
    return this.page.getByRole('alert');
  }

  /** Waits for a text of a live region. */
  async waitForStatus(text: string): Promise<void> {
    await this.page.getByRole('status').filter({ hasText: text }).first().waitFor();
  }

  async addFilter(column: string, condition: string, value?: string): Promise<void> {
    await this.page.getByRole('combobox', { name: 'Column' }).selectOption({ label: column });
    await this.page.getByRole('combobox', { name: 'Condition' }).selectOption({ label: condition });
    if (value !== undefined) await this.page.getByLabel('Value').fill(value);
    await this.page.getByRole('button', { name: 'Add filter' }).click();
  }

  /** The texts of a column of the rows, without titles and marks of references. */
  async readColumn(position: number): Promise<string[]> {
    const cells = this.page.getByRole('region', { name: /^(Rows|Hierarchy) of/ }).locator('tbody tr > *');
    const rows = this.page.getByRole('region', { name: /^(Rows|Hierarchy) of/ }).locator('tbody tr');
    const perRow = (await cells.count()) / (await rows.count());
    const texts = await cells.allInnerTexts();
    return texts.filter((_, index) => index % perRow === position);
  }

  async compare(name: string, content: string | Buffer): Promise<void> {
    await this.chooseFile(name, content);
    await this.page.getByRole('button', { name: 'Compare', exact: true }).click();
  }

  async chooseFile(name: string, content: string | Buffer): Promise<void> {
    await this.page
      .getByLabel('CSV, Excel or NDJSON file')
      .setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
  }

  /** The cells of the differences, row by row. */
  async readDifferences(): Promise<string[][]> {
    const rows = await this.page.getByRole('region', { name: 'Differences' }).locator('tbody tr').all();
    return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
  }

  /** Presses Tab until the element has the focus. @throws {Error} if it is not reached, or its focus is not visible */
  async tabTo(element: Locator): Promise<void> {
    const isFocused = () => element.and(this.page.locator(':focus')).count();
    for (let count = 0; count < MAX_STOPS; count++) {
      if ((await isFocused()) > 0) {
        const outline = await this.page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
        if (outline === 'none') throw new Error(`The focus of ${String(element)} is not visible.`);
        return;
      }
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`${String(element)} is not reached by the keyboard.`);
  }
}
