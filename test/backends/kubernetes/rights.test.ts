import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { needed } from '../../../backends/kubernetes/rights.ts';
import { isRecord } from '../../../backends/shared/labels.ts';

const file = new URL('../../../deploy/kubernetes/role.yaml', import.meta.url);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const isRule = (value: unknown): value is Rule => isRecord(value) && Array.isArray(value['verbs']);

it('the Role that operators apply grants just the rights that are asked for by doctor', () => {
  const objects = parseAllDocuments(readFileSync(file, 'utf8')).map((each): unknown => each.toJS());
  const role = objects.find((each) => isRecord(each) && each['kind'] === 'Role');
  const rules: unknown = isRecord(role) ? role['rules'] : [];
  const granted = (Array.isArray(rules) ? rules.filter(isRule) : []).flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`))),
  );
  expect(granted.toSorted()).toEqual(
    needed.map(({ group, resource, verb }) => `${group}/${resource} ${verb}`).toSorted(),
  );
});
