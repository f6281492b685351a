"""MAMA's tools."""
