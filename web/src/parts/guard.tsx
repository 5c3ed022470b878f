import { Component, h, type ComponentChildren } from "preact";
import { Failure } from "./notice.js";

/** Keeps a defect of one page from taking the others with it. */
export class Guard extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  state: { error?: unknown } = {};

  componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  render() {
    if (this.state.error === undefined) return this.props.children;
    return <Failure error={new Error(`This page has a defect: ${String(this.state.error)}. The other pages work; please report it.`)} retry={() => this.setState({ error: undefined })} />;
  }
}
