/** Label and field selectors of list and watch requests. */
import { at, type KubeObject } from './json.ts';
import { ApiFailure } from './status.ts';

export type Selector = (object: KubeObject) => boolean;

const setTerm = /^(?<key>\S+)\s+(?<op>in|notin)\s+\((?<values>[^)]*)\)$/;
const equalTerm = /^(?<key>[^=!\s]+)\s*(?<op>==|=|!=)\s*(?<value>\S*)$/;

export function labelSelector(text: string): Selector {
  // Commas inside the brackets of a set do not separate terms.
  const terms = text.split(/,(?![^(]*\))/).map((term) => term.trim());
  const tests = terms.filter((term) => term !== '').map(labelTerm);
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}));
}

function labelTerm(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const set = setTerm.exec(term)?.groups;
  if (set !== undefined) {
    const values = (set.values ?? '').split(',').map((value) => value.trim());
    return (labels) => values.includes(labels[set.key ?? ''] ?? '\0') === (set.op === 'in');
  }
  const equal = equalTerm.exec(term)?.groups;
  if (equal !== undefined) {
    return (labels) => (labels[equal.key ?? ''] === equal.value) === (equal.op !== '!=');
  }
  if (/\s/.test(term)) throw new ApiFailure('BadRequest', `cannot read the label selector ${term}`);
  if (term.startsWith('!')) return (labels) => !(term.slice(1) in labels);
  return (labels) => term in labels;
}

export function fieldSelector(text: string): Selector {
  const tests = text
    .split(',')
    .filter((term) => term !== '')
    .map((term): Selector => {
      const { key = '', op = '', value = '' } = equalTerm.exec(term)?.groups ?? {};
      if (key === '') throw new ApiFailure('BadRequest', `cannot read the field selector ${term}`);
      return (object) => (String(at(object, ...key.split('.')) ?? '') === value) === (op !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}
