import type { Locator, Page } from 'playwright-core';

/** What an operation of Swagger UI sent and received. */
export interface Execution {
  status: number;
  /** The JSON of the response; undefined if it is not JSON. */
  body: { data?: Record<string, unknown>; error?: string; message?: string } | undefined;
}

/** The fields of an expanded operation before it runs. */
export interface Inspection {
  /** Names of the fields that the page leaves empty although the operation requires them. */
  emptyRequired: string[];
  /** Names of the optional parameters that the page has filled in. */
  prefilledOptional: string[];
  /** Pixels of the operation above its responses. */
  height: number;
}

/**
 * How a field received its ID: `prefilled` by the page, `created` by the button of the field, or `chosen`, the first
 * suitable one of its list.
 */
export type Provided = 'prefilled' | 'created' | 'chosen';

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

  /** The IDs of all operations in the order of the page. */
  async listOperations(): Promise<string[]> {
    const ids: string[] = [];
    // One group at a time: of a long page Swagger UI renders only what is in view.
    for (const group of await this.page.locator('.opblock-tag').all()) {
      await press(group);
      const blocks = this.page.locator('.opblock');
      await blocks.first().waitFor();
      ids.push(
        ...(await blocks.evaluateAll((all) => all.map((block) => (block as unknown as Element).getAttribute('id')!))),
      );
      await press(group);
      await blocks.first().waitFor({ state: 'detached' });
    }
    return ids.map((id) => id.split('-').at(-1)!);
  }

  /** Provides the IDs that the page leaves to the user, with nothing typed. @param text of the option to choose */
  async provideIds(operation: Locator, text = ''): Promise<Provided> {
    await operation.locator('.id-field[data-state=pending]').first().waitFor({ state: 'detached' });
    const field = operation.locator('.id-field[data-state=empty]');
    if ((await field.count()) === 0) return 'prefilled';
    const create = field.locator('button');
    const isCreated = (await create.count()) > 0;
    if (isCreated) await press(create);
    else {
      const option = field.locator('option:not([value=""])', { hasText: text }).first();
      await field.locator('select').selectOption(await option.getAttribute('value'));
    }
    await operation.locator('.id-field:not([data-state=filled])').first().waitFor({ state: 'detached' });
    return isCreated ? 'created' : 'chosen';
  }

  /** Collapses the operation, so that the page stays small. */
  async close(operation: Locator): Promise<void> {
    await press(operation.locator('.opblock-summary-control'));
  }

  /** Reads the operation at once: each access waits until the page has rendered. */
  async inspect(operation: Locator): Promise<Inspection> {
    const { rows, height } = await operation.evaluate((element) => {
      const block = element as unknown as Element;
      const topOf = (each: Element) => each.getBoundingClientRect().top;
      return {
        rows: [...block.querySelectorAll('tr[data-param-name]')].map((row) => {
          const value = row.querySelector('input, select, textarea')?.value ?? '';
          return {
            name: row.getAttribute('data-param-name')!,
            isParameter: row.closest('.parameters-container') !== null,
            isRequired: row.querySelector('.required') !== null,
            // Swagger UI offers an empty choice as "--".
            value: value === '--' ? '' : value,
          };
        }),
        height: topOf(block.querySelector('.responses-wrapper')!) - topOf(block),
      };
    });
    const namesOf = (some: typeof rows) => some.map(({ name }) => name);
    return {
      emptyRequired: namesOf(rows.filter(({ isRequired, value }) => isRequired && value === '')),
      prefilledOptional: namesOf(
        rows.filter(({ isParameter, isRequired, value }) => isParameter && !isRequired && value !== ''),
      ),
      height,
    };
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

/** The parts of an element of the page; the tests compile without the types of a browser. */
interface Element {
  value?: string;
  textContent: string;
  closest(selector: string): Element | null;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { top: number };
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

function parse(text: string | undefined): Execution['body'] {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Execution['body']);
  } catch {
    return undefined;
  }
}
