/** Ids in addresses. */
import { z } from 'zod';

/** No patient's id is longer, and no node's. */
export const idInAddress = () => z.string().max(255, 'is longer than 255 characters');

/** Of a route with `/:id`. */
export const patientParams = z.object({ id: idInAddress() });
