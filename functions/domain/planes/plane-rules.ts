/** Rules of a ManagementPlane in itself. */
import { error, type Fault } from '../manifest/faults/fault.ts';
import { type Component, componentDocument, type ManagementPlane, providerLabel } from './management-plane.ts';

/** Value of the label of its objects. */
const longestName = 63;
/** It is kept with the manifest of its cluster. */
const largest = 60_000;

export function* planeFaults({ metadata, spec: { components } }: ManagementPlane): Iterable<Fault> {
  const at = (index: number, ...path: readonly PropertyKey[]) => ['spec', 'components', index, ...path];
  const size = JSON.stringify(components).length;
  if (size > largest) {
    const reason = `the components have ${size} characters, at most ${largest} are possible`;
    yield error(['spec', 'components'], reason, 'shorten their values');
  }
  const cores = components.flatMap(({ kind }, index) => (kind === 'core' ? [index] : []));
  const [core, second] = cores;
  if (core === undefined) {
    const fix = 'add the component of kind core, "cluster-api": the contract of all others is compared with it';
    yield error(['spec', 'components'], 'there is no core', fix);
  }
  if (second !== undefined)
    yield error(
      at(second, 'kind'),
      'is a second core',
      'a plane has exactly one: create another plane on another cluster',
    );
  const names = components.map((component) => componentDocument(metadata.name, component));
  for (const [index, component] of components.entries()) {
    const name = names[index] ?? '';
    if (names.indexOf(name) < index)
      yield error(at(index, 'name'), `there is ${titleOf(component)} already`, 'give it an instance of its own');
    if (name.length > longestName) {
      const reason = `${name} has ${name.length} characters, at most ${longestName} are possible`;
      yield error(at(index, 'name'), reason, 'shorten the name of the plane or of the instance');
    }
    if (component.kind !== 'prerequisite' && component.metadata === undefined) {
      const fix = 'name metadata.yaml of the release with its SHA-256: it says which contract the release has';
      yield error(at(index, 'metadata'), 'is missing', fix);
    }
    if (component.instance !== undefined && component.kind !== 'infrastructure') {
      const fix = 'leave it out: only infrastructure providers have several instances on one cluster';
      yield error(at(index, 'instance'), `${providerLabel(component)} cannot have instances`, fix);
    }
  }
  yield* instanceFaults(components, at);
}

/** Two of one provider would work on the same objects, each with its own credentials. */
function* instanceFaults(
  components: readonly Component[],
  at: (index: number, ...path: readonly PropertyKey[]) => PropertyKey[],
): Iterable<Fault> {
  for (const [index, component] of components.entries()) {
    const others = components.filter(
      (other, place) => place !== index && providerLabel(other) === providerLabel(component),
    );
    if (component.kind !== 'infrastructure' || others.length === 0) continue;
    const { watchNamespace, namespace } = component;
    if (watchNamespace === undefined) {
      const reason = `is missing, and ${providerLabel(component)} has ${others.length + 1} instances`;
      yield error(at(index, 'watchNamespace'), reason, 'name the namespace whose clusters have these credentials');
    }
    for (const field of ['watchNamespace', 'namespace'] as const) {
      const value = { watchNamespace, namespace }[field];
      const twin = components.slice(0, index).some((other) => others.includes(other) && other[field] === value);
      if (value !== undefined && twin)
        yield error(at(index, field), `"${value}" is already used by another instance`, 'name another namespace');
    }
  }
}

function titleOf(component: Component): string {
  return `${providerLabel(component)}${component.instance === undefined ? '' : `, instance ${component.instance}`}`;
}
