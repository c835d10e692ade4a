/** Drawings in PDF files: vectors, as wide as the text. */
import type { Drawing, Shape } from '../../plots/shapes.js';
import { colours, margin, type Paper, width } from './paper.js';

/** The height of a drawing, in points. */
export function drawingHeight(drawing: Drawing): number {
  return (drawing.height * width) / drawing.width;
}

export function draw(paper: Paper, drawing: Drawing): void {
  const { document } = paper;
  document
    .save()
    .translate(margin.left, paper.y)
    .scale(width / drawing.width);
  for (const shape of drawing.shapes) {
    document.save();
    drawShape(paper, shape);
    document.restore();
  }
  document.restore();
  paper.space(drawingHeight(drawing) + 2);
}

function drawShape(paper: Paper, shape: Shape): void {
  const { document } = paper;
  switch (shape.kind) {
    case 'text': {
      const { text, size, x, y, anchor = 'start', fill, bold = false } = shape;
      paper.style({ size, bold, colour: colours[fill] });
      const printable = paper.printable(text);
      const back = anchor === 'start' ? 0 : document.widthOfString(printable) / (anchor === 'middle' ? 2 : 1);
      document.text(printable, x - back, y, { lineBreak: false, baseline: 'alphabetic' });
      return;
    }
    case 'rect':
      document
        .fillOpacity(shape.opacity ?? 1)
        .rect(shape.x, shape.y, shape.width, shape.height)
        .fill(colours[shape.fill]);
      return;
    case 'line':
      stroked(paper, shape).moveTo(shape.x1, shape.y1).lineTo(shape.x2, shape.y2).stroke(colours[shape.stroke]);
      return;
    case 'path': {
      const { fill, stroke, opacity = 1 } = shape;
      stroked(paper, shape).path(shape.d);
      if (fill !== undefined) document.fillOpacity(opacity).fill(colours[fill]);
      else if (stroke !== undefined) document.strokeOpacity(opacity).stroke(colours[stroke]);
    }
  }
}

function stroked({ document }: Paper, { width = 1, dash = [] }: { width?: number; dash?: readonly number[] }) {
  document.lineWidth(width).lineJoin('round');
  // PDFKit also takes a list of lengths; its types do not say so.
  return dash.length > 0 ? document.dash([...dash] as unknown as number, {}) : document;
}
