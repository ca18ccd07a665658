/** TemplateGitReferences: repositories of templates that provider instances use in place of the built-in ones. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { found, type Named } from '../../model/stored-names.ts';
import { yamlText } from '../../model/yaml-text.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { type ProviderInstance, useTemplates } from '../../settings-queries.ts';

interface TemplatesViewProps {
  /** In which they are asked for. */
  readonly namespaces: readonly string[];
  readonly instances: readonly ProviderInstance[];
  readonly search: string;
}

export function TemplatesView({ namespaces, instances, search }: TemplatesViewProps) {
  const list = useTemplates(namespaces);
  if (!list.data) return list.error ? <Trouble error={list.error} what="templates" /> : <Loading what="templates" />;
  if (list.data.length === 0)
    return (
      <Empty title="No templates of your own">
        <p>All provider instances use the built-in templates. A TemplateGitReference names a repository with others.</p>
        <CopyCommand command={commands.store('templates.yaml')} />
      </Empty>
    );
  const rows = found(list.data, search, ({ namespace, name }) => `${namespace}/${name}`);
  return (
    <ul className="plain">
      {rows.map((row) => (
        <Template key={`${row.namespace}/${row.name}`} of={row} users={usersOf(row, instances)} />
      ))}
    </ul>
  );
}

const usersOf = (of: Named, instances: readonly ProviderInstance[]): readonly ProviderInstance[] =>
  instances.filter(({ templates }) =>
    templates.some(({ namespace, name }) => namespace === of.namespace && name === of.name),
  );

function Template({ of, users }: { readonly of: Named; readonly users: readonly ProviderInstance[] }) {
  const [open, setOpen] = useState(false);
  const document = useQuery({
    queryKey: ['template', of.namespace, of.name],
    queryFn: ({ signal }) => ask('GET /v1/templates/{namespace}/{name}', { params: { ...of }, signal }),
    enabled: open,
  });
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>
            {of.namespace}/{of.name}
          </strong>{' '}
          {users.length === 0
            ? 'no provider instance uses it'
            : `used by ${users.map(({ namespace, manifest, name }) => `${name} of ${namespace}/${manifest}`).join(', ')}`}
        </summary>
        {document.error && <Trouble error={document.error} what="the document" />}
        {document.data !== undefined && <pre className="document">{yamlText(document.data)}</pre>}
        <CopyCommand command={commands.template(of)} />
      </details>
    </li>
  );
}
