"""Verifies bundles and other web archives with nothing but the standard library.

Everything here but `joining` is put together into one file, `verify.py`, which every bundle carries. So these modules
import each other, a few pure modules of `snapshots`, and the standard library; their top-level names differ from each
other, because in that file they stand side by side.
"""
