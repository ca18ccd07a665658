/** TemplateGitReferences: repositories of templates that provider instances use in place of the built-in ones. */
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { found, type Named } from '../../model/stored-names.ts';
import { yamlText } from '../../model/yaml-text.ts';
import { useNamespaces } from '../../namespaces.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { SettingsFrame } from '../../parts/settings-frame.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { go, hrefOf } from '../../routes.ts';
import { type ListedInstance, useTemplates } from '../../settings-queries.ts';

interface ViewProps {
  readonly chosen: Readonly<Record<string, string>>;
}

export function TemplatesView({ chosen }: ViewProps) {
  const namespaces = useNamespaces();
  const { templates, instances } = useTemplates(namespaces.names);
  const error = namespaces.error ?? templates.error ?? instances.error;
  const data = templates.data && instances.data && { all: templates.data, instances: instances.data };
  return (
    <SettingsFrame view="templates" chosen={chosen} of={[templates, instances]}>
      <Answered of={{ data, error }} what="templates">
        {(answered) => <Templates {...answered} chosen={chosen} />}
      </Answered>
    </SettingsFrame>
  );
}

interface TemplatesProps extends ViewProps {
  readonly all: readonly Named[];
  readonly instances: readonly ListedInstance[];
}

function Templates({ all, instances, chosen }: TemplatesProps) {
  if (all.length === 0)
    return (
      <Empty title="No templates of your own">
        <p>All provider instances use the built-in templates. A TemplateGitReference names a repository with others.</p>
        <CopyCommand command={commands.store('templates.yaml')} />
      </Empty>
    );
  const rows = found(all, chosen.search ?? '', idOf);
  if (rows.length === 0) return <Empty title="Nothing matches" />;
  const choose = (id: string | undefined): void =>
    go(hrefOf(['settings', 'templates'], { search: chosen.search, template: id }), { replace: true });
  return (
    <ul className="plain instances">
      {rows.map((row) => {
        const id = idOf(row);
        const open = chosen.template === id;
        const users = usersOf(row, instances);
        return (
          <li key={id}>
            <button
              type="button"
              className="quiet row-button"
              aria-expanded={open}
              onClick={() => choose(open ? undefined : id)}
              data-row
            >
              <span aria-hidden="true">{open ? '▾' : '▸'}</span> <strong>{id}</strong>
            </button>{' '}
            <span className="dim">{users.length === 0 ? 'no provider instance uses it' : 'used by '}</span>
            {users.map(({ namespace, manifest, name }) => (
              <a
                key={`${namespace}/${manifest}/${name}`}
                className="user"
                href={hrefOf(['settings', 'providers'], {
                  instance: `${namespace}/${manifest}/${name}`,
                  search: manifest,
                })}
              >
                {name} of {namespace}/{manifest}
              </a>
            ))}
            {open && <Template of={row} />}
          </li>
        );
      })}
    </ul>
  );
}

const idOf = ({ namespace, name }: Named): string => `${namespace}/${name}`;

const usersOf = (of: Named, instances: readonly ListedInstance[]): readonly ListedInstance[] =>
  instances.filter(({ templates }) =>
    templates.some(({ namespace, name }) => namespace === of.namespace && name === of.name),
  );

function Template({ of }: { readonly of: Named }) {
  const document = useQuery({
    queryKey: ['template', of.namespace, of.name],
    queryFn: ({ signal }) => ask('GET /v1/templates/{namespace}/{name}', { params: { ...of }, signal }),
  });
  return (
    <div className="card">
      <CopyCommand command={commands.template(of)} />
      <Answered of={document} what="the document">
        {(stored) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          <pre className="document" tabIndex={0}>
            {yamlText(stored)}
          </pre>
        )}
      </Answered>
    </div>
  );
}
