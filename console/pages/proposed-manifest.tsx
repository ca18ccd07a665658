/** A plan of a manifest that does not exist yet: it is created once the plan is approved. */
import type { Name } from '../model/commands.ts';
import { ProposedPlans } from '../parts/proposed-plans.tsx';
import { hrefOf } from '../routes.ts';

export default function ProposedManifestPage({ of, shown }: { readonly of: Name; readonly shown: string }) {
  return (
    <>
      <nav className="crumbs" aria-label="Where you are">
        <a href={hrefOf(['attention'])}>Needs you</a> <span aria-hidden="true">›</span> {of.namespace}{' '}
        <span aria-hidden="true">›</span>
      </nav>
      <div className="title">
        <h1>{of.name}</h1>
        <span className="dim">does not exist yet</span>
      </div>
      <ProposedPlans of={of} shown={shown} />
    </>
  );
}
