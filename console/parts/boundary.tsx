/** Around views: one that cannot be loaded or drawn leaves the rest of the page as it is, and says what to do. */
import { Component, type ReactNode } from 'react';
import { reloadPage } from '../drafts.ts';

interface BoundaryProps {
  /** A change of the place makes it retry. */
  readonly place: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: unknown;
  readonly place: string;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return place === state.place ? null : { place, error: undefined };
  }

  override state: BoundaryState = { error: undefined, place: this.props.place };

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <Broken error={error} />;
  }
}

function Broken({ error }: { readonly error: unknown }) {
  return (
    <div className="notice bad" role="alert">
      <span aria-hidden="true">✗</span>
      <div>
        <strong>This view cannot be shown</strong>
        <p>The platform does not answer, or it was upgraded after this tab was opened. Reload the page to continue.</p>
        <p className="dim">{error instanceof Error ? error.message : String(error)}</p>
        <p>
          <button type="button" className="main" onClick={reloadPage}>
            Reload
          </button>
        </p>
      </div>
    </div>
  );
}
