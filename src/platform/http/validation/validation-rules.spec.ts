import { getMetadataStorage, IsInt, MaxLength, Min, validateSync } from 'class-validator';
import { rememberRulesOfClasses } from './validation-rules.js';

class Named {
  @MaxLength(3)
  name = '';
}

class Counted extends Named {
  @IsInt()
  @Min(1)
  count = 1;
}

let find: jest.SpiedFunction<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;

beforeAll(() => {
  find = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
  rememberRulesOfClasses();
});

const fieldsOf = (object: object, groups?: string[]) =>
  validateSync(object, { groups }).map(({ property }) => property);

it('finds the rules of a class once, with those that it inherits', () => {
  find.mockClear();
  const invalid = Object.assign(new Counted(), { name: 'long', count: 0 });
  for (let time = 0; time < 3; time++) expect(fieldsOf(invalid).toSorted()).toEqual(['count', 'name']);
  expect(fieldsOf(new Counted())).toEqual([]);
  expect(fieldsOf(Object.assign(new Named(), { name: 'long' }))).toEqual(['name']);
  expect(find).toHaveBeenCalledTimes(2);
});

it('finds the rules of groups each time', () => {
  find.mockClear();
  for (let time = 0; time < 2; time++) fieldsOf(new Counted(), ['other']);
  expect(find).toHaveBeenCalledTimes(2);
});
