/** A drawing as SVG markup. Colours are classes, because the page's Content-Security-Policy allows no inline styles. */
import { type Html, html } from '../../../core/plugin.js';
import type { Drawing, Shape } from './shapes.js';

/** `id` is unique on the page. */
export function svg({ width, height, title, description, shapes }: Drawing, id: string): Html {
  return html`<svg class="plot" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-labelledby="${id}-title" aria-describedby="${id}-desc">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${shapes.map(element)}</svg>`;
}

const round = (value: number) => Math.round(value * 100) / 100;

function element(shape: Shape): Html {
  switch (shape.kind) {
    case 'path': {
      const { d, stroke, fill, width, dash, opacity } = shape;
      const classes = [stroke && `k-${stroke}`, fill ? `f-${fill}` : 'f-none'].filter(Boolean).join(' ');
      return html`<path class="${classes}" d="${d}"${width !== undefined && html` stroke-width="${width}"`}${dashed(dash)}${opacity !== undefined && html` opacity="${opacity}"`}/>`;
    }
    case 'line': {
      const { x1, y1, x2, y2, stroke, width = 1, dash } = shape;
      return html`<line class="k-${stroke}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke-width="${width}"${dashed(dash)}/>`;
    }
    case 'rect': {
      const { x, y, width, height, fill, opacity } = shape;
      return html`<rect class="f-${fill}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"${opacity !== undefined && html` opacity="${opacity}"`}/>`;
    }
    case 'text': {
      const { x, y, text, size, fill, anchor, bold } = shape;
      return html`<text class="f-${fill}" x="${round(x)}" y="${round(y)}" font-size="${size}"${anchor && html` text-anchor="${anchor}"`}${bold && html` font-weight="600"`}>${text}</text>`;
    }
  }
}

function dashed(dash: readonly number[] | undefined): Html | undefined {
  return dash === undefined || dash.length === 0 ? undefined : html` stroke-dasharray="${dash.join(' ')}"`;
}
