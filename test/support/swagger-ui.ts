import type { Locator, Page } from 'playwright-core';

/** What an operation of Swagger UI sent and received. */
export interface Execution {
  status: number;
  /** The JSON of the response; undefined if it is not JSON. */
  body: { data?: Record<string, unknown>; error?: string; message?: string } | undefined;
}

/** Swagger UI in a browser, by the IDs of operations. */
export class SwaggerUiPage {
  constructor(readonly page: Page) {}

  /** Shows only the operation and expands it. */
  async open(operationId: string): Promise<Locator> {
    const operation = this.page.locator(`.opblock[id$="-${operationId}"]`);
    await this.page.locator('.operation-filter-input').fill(operationId);
    await press(operation.locator('.opblock-summary-control'));
    await operation.locator('.execute-wrapper, .execute').first().waitFor();
    // Until then the parameters are references: they have neither values nor `required`.
    await operation.locator('.opblock-loading-animation').waitFor({ state: 'detached' });
    return operation;
  }

  /** Collapses the operation, so that the page stays small. */
  async close(operation: Locator): Promise<void> {
    await press(operation.locator('.opblock-summary-control'));
  }

  /** Names of the fields that the page leaves empty although the operation requires them. */
  async emptyRequired(operation: Locator): Promise<string[]> {
    const rows = await this.rowsOf(operation);
    return rows.filter((row) => row.isRequired && row.value === '').map(({ name }) => name);
  }

  /** Names of the optional parameters that the page has filled in. */
  async prefilledOptional(operation: Locator): Promise<string[]> {
    const rows = await this.rowsOf(operation.locator('.parameters-container'));
    return rows.filter((row) => !row.isRequired && row.value !== '').map(({ name }) => name);
  }

  private async rowsOf(scope: Locator): Promise<Row[]> {
    return scope.locator('tr[data-param-name]').evaluateAll((elements) =>
      (elements as unknown as Element[]).map((element) => {
        const value = element.querySelector('input, select, textarea')?.value ?? '';
        return {
          name: element.getAttribute('data-param-name')!,
          isRequired: element.querySelector('.required') !== null,
          // Swagger UI offers an empty choice as "--".
          value: value === '--' ? '' : value,
        };
      }),
    );
  }

  /** Pixels of the expanded operation above its responses. */
  async heightBeforeResponses(operation: Locator): Promise<number> {
    const top = async (each: Locator) => (await each.boundingBox())!.y;
    return (await top(operation.locator('.responses-wrapper'))) - (await top(operation));
  }

  /** Enters a value for a required parameter. */
  async fill(operation: Locator, parameter: string, value: string): Promise<void> {
    const input = operation.locator(`tr[data-param-name="${parameter}"] input`);
    await input.fill(value);
    // Otherwise Swagger UI takes over the value a moment later.
    await input.press('Enter');
  }

  async execute(operation: Locator): Promise<Execution> {
    // Otherwise the response of an earlier execution might be read.
    const clear = operation.locator('button.btn-clear');
    if ((await clear.count()) > 0) await press(clear);
    await press(operation.locator('button.execute'));
    const table = operation.locator('.live-responses-table tbody tr.response');
    const errors = operation.locator('.validation-errors');
    await table.or(errors).first().waitFor();
    if ((await table.count()) === 0) throw new Error(await errors.first().innerText());
    const { status, text } = await table.evaluate((row) => {
      const find = (selector: string) => (row as unknown as Element).querySelector(selector)?.textContent;
      return { status: find('.response-col_status')!, text: find('.highlight-code pre') };
    });
    return { status: Number.parseInt(status.trim(), 10), body: parse(text) };
  }
}

/** Clicks without waiting until the element has stopped moving, which takes up to a second while the page renders. */
const press = (button: Locator) => button.dispatchEvent('click');

interface Row {
  name: string;
  isRequired: boolean;
  value: string;
}

/** The parts of an element of the page; the tests compile without the types of a browser. */
interface Element {
  getAttribute(name: string): string | null;
  querySelector(selector: string): { value?: string; textContent: string } | null;
}

function parse(text: string | undefined): Execution['body'] {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Execution['body']);
  } catch {
    return undefined;
  }
}
