/** The inventory as Ansible reads it: texts of users are texts, never templates. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inventoryText } from '#runner/ansible/play.ts';

/** What a playbook sees of the variable, as Ansible fills it in. */
function seen(value: string): unknown {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-inventory-'));
  try {
    const inventory = {
      all: { vars: { nested: { given: [value] } }, hosts: { here: { ansible_connection: 'local' } } },
    };
    writeFileSync(join(directory, 'inventory.json'), inventoryText(inventory));
    writeFileSync(
      join(directory, 'play.yml'),
      "- hosts: here\n  gather_facts: false\n  tasks:\n    - ansible.builtin.debug:\n        msg: '{{ nested.given[0] | b64encode }}'\n",
    );
    const output = execFileSync('ansible-playbook', ['play.yml', '-i', 'inventory.json'], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, ANSIBLE_LOCAL_TEMP: join(directory, 'tmp'), ANSIBLE_NOCOLOR: '1' },
    });
    const [, encoded = ''] = /"msg": "([^"]*)"/.exec(output) ?? [];
    return Buffer.from(encoded, 'base64').toString();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

it('a text with signs of a template is not evaluated by Ansible', () => {
  const text = "{{ lookup('pipe', 'id') }} ${#list[@]} {% if %} docker ps --format '{{.Names}}'";
  expect(seen(text)).toBe(text);
});
