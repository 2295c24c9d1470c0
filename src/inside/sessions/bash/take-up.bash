#!/bin/bash
command shopt -s expand_aliases
